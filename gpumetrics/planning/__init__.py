"""What a metric will cost before it is begun: operations, bytes, memory and seconds, here and on other machines."""

from gpumetrics.planning.machines import ASSUMED_GPU, Machine, this_machine
from gpumetrics.planning.planner import plan
from gpumetrics.planning.result import Plan

__all__ = ["ASSUMED_GPU", "Machine", "Plan", "plan", "this_machine"]
