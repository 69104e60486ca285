//! The site of the worked example in Nutch's documentation of 2005: four pages on the host `keaton`, two of them equal.
//! A links to B, B to A, C and C-duplicate; every page links to an encyclopedia outside. The words are our own.

use super::Site;

const A: &[u8] = b"<html><head><title>'A' is for Alligator</title></head>
<body><p>Alligators lie in slow rivers and look like logs. (See the <a href=\"http://en.wikipedia.org/wiki/Alligator\">encyclopedia on alligators</a>.)</p>
<p><a href=\"B.html\">B</a></p></body></html>
";

const B: &[u8] = b"<html><head><title>'B' is for Bear</title></head>
<body><p>Bears sleep through the winter and eat through the summer. (See the <a href=\"http://en.wikipedia.org/wiki/Bear\">encyclopedia on bears</a>.)</p>
<p><a href=\"A.html\">A</a> <a href=\"C.html\">C</a> <a href=\"C-duplicate.html\">C-duplicate</a></p></body></html>
";

const C: &[u8] = b"<html><head><title>'C' is for Caterpillar</title></head>
<body><p>Caterpillars are hungry now and butterflies later. (See the <a href=\"http://en.wikipedia.org/wiki/Caterpillar\">encyclopedia on caterpillars</a>.)</p></body></html>
";

/// The four pages, below `/tinysite/`; no robots.txt.
pub fn article() -> Site {
    let mut site = Site::new("keaton");
    site.add("/tinysite/A.html", "text/html", A);
    site.add("/tinysite/B.html", "text/html", B);
    site.add("/tinysite/C.html", "text/html", C);
    site.add("/tinysite/C-duplicate.html", "text/html", C);
    site
}
