#!/bin/sh
# After removing on Linux: the kind of file is forgotten.
set -e
rm -f /usr/share/mime/packages/isogloss-mime.xml
if command -v update-mime-database >/dev/null 2>&1; then
  update-mime-database /usr/share/mime || true
fi
