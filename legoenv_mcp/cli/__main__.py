import sys

from legoenv_mcp.cli import main

sys.exit(main())
