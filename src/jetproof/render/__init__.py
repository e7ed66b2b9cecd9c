"""Values to text: terminal, Markdown, HTML, JUnit, SARIF, annotations. Nothing here prints."""
