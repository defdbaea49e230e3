"""One scenario a capability, `plays(stage)` in the module of its name: every verb, and its effect in the view.

A scenario speaks the capability's language only; the app's own ids come from what the world was filled with.
"""
