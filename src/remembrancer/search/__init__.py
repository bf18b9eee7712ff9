"""Search: retrievers, fusion, ranking, reranking and explanations.

Start reading at `recall.py`. A search reads one snapshot of the store and writes nothing.
"""
