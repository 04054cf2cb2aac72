"""Clusters against known attributes."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal, assert_equal

import gpumetrics as gm
from gpumetrics.evaluation.attributes import attribute_check


def customers():
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1, 2, -1], [40, 30, 20, 10])
    year = np.array([2019, 2020, 2021, 2022])[labels]
    return labels, {"sex": rng.integers(0, 2, 100), "year": year, "half": np.where(rng.random(100) < 0.3, "x", year)}


def test_an_attribute_that_the_clusters_repeat_comes_first():
    labels, known = customers()
    found = attribute_check(labels, known)
    kept = labels != -1
    for name, values, ami, homogeneity, completeness, _ in zip(*found.table.values(), strict=True):
        assert_equal(values, len(np.unique(known[name][kept])))
        assert_allclose(ami, gm.adjusted_mutual_info_score(known[name][kept], labels[kept]))
        assert_allclose(homogeneity, gm.homogeneity_score(known[name][kept], labels[kept]))
        assert_allclose(completeness, gm.completeness_score(known[name][kept], labels[kept]))
    assert_equal(found.table["attribute"].tolist(), ["year", "half", "sex"])
    words = ["nearly the same as the clusters", "much the same", "little to do with the clusters"]
    assert_equal(found.table["reading"].tolist(), words)
    assert "no finding" in found.notes["caveat"]
    typical = found.typical
    mine = typical["attribute"] == "year"
    assert_equal(typical["value"][mine].tolist(), [2019, 2020, 2021])
    assert_allclose(typical["share"][mine], 1)
    assert_allclose(typical["share_of_all"][mine], np.array([40, 30, 20]) / 90)
    sex = typical["attribute"] == "sex"
    counts = gm.contingency_matrix(labels[kept], known["sex"][kept])
    assert_allclose(typical["share"][sex], counts.max(axis=1) / counts.sum(axis=1))


def test_noise_may_count_as_a_cluster():
    labels, known = customers()
    assert_equal(len(attribute_check(labels, known, noise_label=None).typical["cluster"]), 12)


@pytest.mark.parametrize("container", ["frame", "list", "array"])
def test_attributes_in_other_containers(container):
    labels, known = customers()
    del known["half"]
    given = {
        "frame": lambda: pytest.importorskip("pandas").DataFrame(known),
        "list": lambda: list(known.values()),
        "array": lambda: np.stack(list(known.values()), axis=1),
    }[container]()
    found = attribute_check(labels, given)
    assert_equal(found.table["attribute"].tolist(), ["year", "sex"] if container == "frame" else [1, 0])


def test_labels_on_a_gpu(emulated):
    labels, known = customers()
    on_device = attribute_check(
        emulated.asarray(labels), {"year": emulated.asarray(known["year"]), "half": known["half"]}
    )
    on_host = attribute_check(labels, {"year": known["year"], "half": known["half"]})
    assert_array_equal(on_device.table["adjusted_mutual_info"], on_host.table["adjusted_mutual_info"])


def test_results():
    labels, known = customers()
    found = attribute_check(labels, {**known, "number": np.arange(100)})
    assert_equal(
        dict(zip(found.table["attribute"], found.table["reading"], strict=True))["number"],
        "nearly a value for each row",
    )
    assert "into bins first" in str(found)
    data = found.to_dict()
    assert_equal(json.loads(json.dumps(data, allow_nan=False)), data)
    for library in ("pandas", "polars"):
        pytest.importorskip(library)
        assert_equal(list(found.to_frame(library).columns), list(found.table))
    assert "4 attributes" in repr(found)


def test_every_attribute_to_put_into_bins_is_named():
    labels, known = customers()
    many = {"age": np.arange(100), "name": [f"n{at}" for at in range(100)], "id": np.arange(100)}
    notes = [attribute_check(labels, {**known, **dict(list(many.items())[:n])}).notes for n in range(4)]
    assert "values" not in notes[0]
    said, end = [str(note["values"]) for note in notes[1:]], "nearly a value for each row: put"
    assert_equal(said[0], f"age has {end} it into bins first.")
    assert_equal(said[1:], [f"{who} have {end} them into bins first." for who in ("age and name", "age, name and id")])


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_column_of_a_frame_is_an_attribute(library):
    labels, known = customers()
    column = pytest.importorskip(library).DataFrame({"year": known["year"]})["year"]
    assert_equal(attribute_check(labels, column).to_dict(), attribute_check(labels, {"year": known["year"]}).to_dict())


def test_an_attribute_of_one_value_is_said_to_be_one():
    found = attribute_check([3, 3, 3, 3], {"country": ["KR"] * 4, "number": range(4)})
    assert_equal(found.table["reading"].tolist(), ["one value in all rows", "nearly a value for each row"])


@pytest.mark.parametrize(
    ("labels", "attributes", "match"),
    [
        ([0, 1], {}, "no attribute"),
        ([0, 1], [2020, 2021], r"attributes must be a dict of name to values.*got list; one may be given as"),
        ([0, 1], "year", "attributes must be a dict of name to values.*got str"),
        ([0, 1], {"year": [1, 2, 3]}, "inconsistent numbers of samples"),
        ([0, 1], {"year": [1, None]}, r"attributes\['year'\] contains NaN"),
        ([-1, -1], {"year": [1, 2]}, "every row has the noise label"),
    ],
)
def test_bad_arguments(labels, attributes, match):
    with pytest.raises(ValueError, match=match):
        attribute_check(labels, attributes)
