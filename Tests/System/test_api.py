"""docs/api lists the public declarations of the Swift library as they are, and each of them is documented."""

import pytest

from tools.commands import must
from tools.programs import BUILT, ROOT


def test_the_listing_is_current():
    modules = BUILT / "Modules"
    if not (modules / "SensorBrokerTestTraits.swiftmodule").exists():
        pytest.skip(f"the modules of the library are not in {modules}")
    must(ROOT / ".ci/api", "--check", modules)


def test_each_room_of_the_library_that_programs_import_is_listed():
    listed = {page.stem for page in (ROOT / "docs/api").glob("*.txt")}
    assert listed == {path.name for path in (ROOT / "Sources/Library").iterdir()} | {"SensorValues"}
