"""The table of behaviours: for each one what a user of a client must see, and a script."""


class Behaviour:
    """A row of the table."""

    def __init__(self, play, topic, text, differs):
        self.play = play
        self.name = play.__name__
        self.topic = topic
        self.text = text
        #: By the names of clients: why they differ, and how; `not applicable` begins with a dash.
        self.differs = differs

    def applies_to(self, client):
        return not self.differs.get(client, "").startswith("-")


def table():
    """An empty table, and what adds a script to it."""
    rows = []

    def behaviour(topic, text, **differs):
        def add(play):
            rows.append(Behaviour(play, topic, text, differs))
            return play
        return add

    return rows, behaviour


BEHAVIOURS, behaviour = table()

ENDS = "a command ends, with a status and a message, where a program that lives on waits"
LABELS = "- the library has a label for each request by itself"
ONE_REQUEST = "- a command line has one request for a resource"
CAUSE = "the gap has the cause `restarted`: its output and its recordings have the causes of the interface only"
