"""Evolution: environments that fail name an atom, the atom is repaired, the repair is proven to break nothing and carried on.

signals (examine.py) -> findings (diagnosis.py) -> patches (a backend: schema/ or model.py) -> acceptance (accept.py) -> rounds.py.
Nothing here imports an app or runs a patch: both happen in the processes of nursery.py. benchmark.py damages a copy of the fleet to
measure all this; the repairing side knows neither it nor damage.py.
"""
