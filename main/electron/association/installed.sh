#!/bin/sh
# After installing on Linux: files ending in .isogloss are known, and open in Isogloss. A desktop without these tools is left as it is.
set -e
if command -v xdg-mime >/dev/null 2>&1; then
  xdg-mime install --mode system --novendor /usr/lib/isogloss/resources/isogloss-mime.xml || true
fi
if command -v update-desktop-database >/dev/null 2>&1; then
  update-desktop-database -q || true
fi
