"""docs/recipes_spark.md: its code runs on a local Spark, and gives the scores of all rows."""

import os
import shutil
import sys

import pytest
import recipes_code
from numpy.testing import assert_allclose

pytest.importorskip("pyspark")
pytest.importorskip("pyarrow")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),  # Spark's own, of the pandas that happens to be there
    pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java"),
]


@pytest.fixture(name="spark", scope="module")
def session():
    from pyspark.sql import SparkSession

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
        spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
        yield spark
        spark.stop()


def test_scores_are_those_of_all_rows(spark):
    X, clusters, topics = recipes_code.rows()
    lines = list(zip(X.tolist(), clusters.tolist(), topics.tolist(), strict=True))
    frame = spark.createDataFrame(lines, "embedding array<double>, cluster long, topic string").repartition(3)
    found = recipes_code.follow("recipes_spark.md", frame=frame)
    assert_allclose(found, recipes_code.expected(X, clusters, topics), rtol=1e-12)


def test_partitions_without_rows(spark):
    X, clusters, topics = (part[:40] for part in recipes_code.rows())
    lines = list(zip(X.tolist(), clusters.tolist(), topics.tolist(), strict=True))
    frame = spark.createDataFrame(lines, "embedding array<double>, cluster long, topic string").repartition(8, "topic")
    found = recipes_code.follow("recipes_spark.md", frame=frame)
    assert_allclose(found, recipes_code.expected(X, clusters, topics), rtol=1e-12)
