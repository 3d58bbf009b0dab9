"""The list of rooms stands once, in Package.swift; imports go down, and what is said elsewhere follows from it."""

import json
import re

from tools.commands import must, run
from tools.programs import ROOT

PACKAGE = (ROOT / "Package.swift").read_text()
# A program sends and reports, and what waits is pending; what these stand for has a word of the field.
FOREIGN_WORDS = {"tell", "tells", "told", "untold", "owe", "owes", "owed", "hear", "hears", "heard", "courier", "shelf", "showcase", "parcel",
                 "helper", "utils", "impl"}
ROOMS = re.findall(r'\b(?:room|program)\(\s*"([\w-]+)", \.(\w+),', PACKAGE)


def test_the_pages_have_the_rooms_of_the_package_and_the_situations_that_are_tested():
    must(ROOT / ".ci/tables", "--check")


def test_each_folder_of_a_floor_is_a_room():
    folders = {(path.name, path.parent.name.lower()) for path in (ROOT / "Sources").glob("*/*")}
    assert folders == set(ROOMS) and len(ROOMS) > 30


def test_tests_have_the_floors_of_their_rooms():
    floors = {name: floor for name, floor in ROOMS}
    tests = {path.name.removesuffix("Tests"): path.parent.name.lower() for path in (ROOT / "Tests").glob("*/*Tests")}
    known = {name: floor for name, floor in tests.items() if name in floors}
    assert len(known) > 15
    assert known == {name: floors[name] for name in known}


def test_a_room_imports_rooms_above_it_in_the_list():
    names = [name for name, _ in ROOMS]
    floors = dict(ROOMS)
    targets = json.loads(must("swift", "package", "--package-path", ROOT, "dump-package"))["targets"]
    imports = {target["name"]: [item["byName"][0] for item in target["dependencies"]] for target in targets}
    assert not [(name, other) for name in names for other in imports[name]
                if floors.get(other) == floors[name] and names.index(other) > names.index(name)]


def foreign_names(source):
    """Names that a source declares with a word that is not the field's."""
    declared = re.findall(r"\b(?:func|var|let|case|class|struct|enum|actor|protocol|typealias) `?(\w+)", source)
    return {name for name in declared if FOREIGN_WORDS & {word.lower() for word in re.findall(r"[A-Z]?[a-z]+", name)}}


def test_declared_names_have_the_words_of_the_field():
    assert foreign_names("func tellAll() {}; var isOwed, news = 1; struct Teller {}; case satellites") == {"tellAll", "isOwed"}
    found = {name for path in ROOT.glob("Sources/**/*.swift") for name in foreign_names(path.read_text())}
    assert not found


def test_the_manifest_refuses_an_import_that_goes_up(tmp_path):
    wrong = re.sub(r'(room\("Readings", \.ground, "[^"]+", \[)', r'\1"Service", ', PACKAGE)
    assert wrong != PACKAGE
    (tmp_path / "Package.swift").write_text(wrong)
    result = run("swift", "package", "--package-path", tmp_path, "dump-package")
    assert result.returncode != 0
    assert "Readings, of the floor Ground, may not import Service, of the floor Broker" in result.stderr


def test_no_link_leads_nowhere():
    """Benchmarks and fuzzers, packages of their own, take rooms in by links."""
    listed = must("git", "-C", ROOT, "ls-files", "-s").splitlines()
    links = [ROOT / line.split("\t")[1] for line in listed if line.startswith("120000")]
    assert len(links) > 20 and not [link for link in links if not link.exists()]
