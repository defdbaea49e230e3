"""The plainest app there is: what a call costs over it is the kernel's, not an app's."""
