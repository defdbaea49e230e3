"""The verbs of file_storage."""

from legoenv_mcp.capabilities import file_storage
from tests.support.scenarios.stage import Stage


def plays(s: Stage) -> None:
    p = s.provider
    file = s.first(file_storage.File, lambda f: "/" in f.path and f.content)
    folder, _, name = file.path.rpartition("/")
    s.reads(p.list_folder(folder), name)
    s.reads(p.search_files(name), name)
    s.reads(p.get_file_info(file.path))
    s.reads(p.download_file(file.path), file.content.split("\n")[0][:40])
    s.run(p.create_folder("Made by verb"))
    assert s.one(file_storage.Folder, lambda f: f.path == "Made by verb")
    s.run(p.upload_file("Made by verb/note.txt", "Written by verb."))
    assert s.one(file_storage.File, lambda f: f.path == "Made by verb/note.txt").content == "Written by verb."
    s.run(p.move_file("Made by verb/note.txt", "Made by verb/moved.txt"))
    assert s.one(file_storage.File, lambda f: f.content == "Written by verb.").path == "Made by verb/moved.txt"
