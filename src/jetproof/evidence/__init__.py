"""Statements, envelopes, their store and their verification."""
