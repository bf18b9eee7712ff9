"""The console: pages in a browser over `Memory` and the operations of REST.

A page is a function in a module named after it, and a template. Start with `app.py`; `request.py` has what each page
gets. The pages work without scripts; `static/console.js` saves reloads and adds keys.
"""
