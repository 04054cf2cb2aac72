"""What all results can do: be shown in a notebook, and be written as JSON, as plain numbers or as a dataframe."""

from __future__ import annotations

import math
from typing import Any

__all__ = ["Result"]


class Result:
    """A result that has ``to_dict``; notebooks show it as a table, terminals as text."""

    def to_dict(self) -> dict[str, Any]:
        """Return the result as a dict that `json.dumps` takes."""
        raise NotImplementedError

    def to_json(self, indent: int | None = 2) -> str:
        """Return `to_dict` as JSON that every parser takes: nan and infinity are null, the reason stands beside them.

        Parameters
        ----------
        indent : int or None, default=2
            None: all on one line.
        """
        from gpumetrics.text.json_text import strict_json

        return strict_json(self.to_dict(), indent)

    def numbers(self) -> dict[str, float]:
        """Return the finite numbers of `to_dict` by name, as trackers of experiments take them.

        As in ``mlflow.log_metrics(report.numbers())``, ``wandb.log(report.numbers())`` or, for each of them,
        ``trial.set_user_attr(name, number)``. Lists, texts and tables are left out.
        """
        found = self.to_dict().items()
        kept = {name: value for name, value in found if isinstance(value, int | float) and not isinstance(value, bool)}
        return {name: float(value) for name, value in kept.items() if math.isfinite(value)}

    def to_frame(self, library: str | None = None) -> Any:
        """Return the table of the result as a DataFrame: `rows`, `table`, `per_cluster` or `per_label`, as it is named.

        Parameters
        ----------
        library : {"pandas", "polars"}, optional
            If it is None: the one that is loaded, else the one that is installed; pandas of both.

        Raises
        ------
        ValueError
            For another library.
        ImportError
            If it is not installed, or neither is.
        """
        from gpumetrics.frames import frame_of

        return frame_of(self._columns(), library)

    def _columns(self) -> dict[str, Any]:
        """Return the columns of `to_frame`, of equal length."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        from gpumetrics.pages.notebook import notebook_html

        return notebook_html(self)

    def _repr_mimebundle_(self, **_kwargs: Any) -> dict[str, str]:
        """Return text and HTML, so that a terminal has the tables too."""
        return {"text/plain": str(self), "text/html": self._repr_html_()}
