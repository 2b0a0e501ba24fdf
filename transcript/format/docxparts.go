package format

// The parts of a document of Office Open XML (ISO/IEC 29500). A processor checks the order of
// elements within an element.
const (
	docxTypes = xmlBegin + `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Default Extension="xml" ContentType="application/xml"/>
<Override PartName="/docProps/core.xml" ContentType="application/vnd.openxmlformats-package.core-properties+xml"/>
<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/>
<Override PartName="/word/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.styles+xml"/>
</Types>
`
	docxRelations = xmlBegin + `<Relationships xmlns="` + relations + `">
<Relationship Id="text" Type="` + officeRelation + `officeDocument" Target="word/document.xml"/>
<Relationship Id="core" Type="` + relations + `/metadata/core-properties" Target="docProps/core.xml"/>
</Relationships>
`
	docxTextRelations = xmlBegin + `<Relationships xmlns="` + relations + `">
<Relationship Id="styles" Type="` + officeRelation + `styles" Target="styles.xml"/>
{hyperlink}</Relationships>
`
	docxHyperlink = `<Relationship Id="link" Type="` + officeRelation + `hyperlink" Target="{link}" TargetMode="External"/>
`
	docxCore = xmlBegin + `<cp:coreProperties xmlns:cp="` + packages + `metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:title>{title}</dc:title><dc:language>{lang}</dc:language>
</cp:coreProperties>
`
	docxStyles = xmlBegin + `<w:styles xmlns:w="` + wordNames + `">
<w:docDefaults>
<w:rPrDefault><w:rPr><w:sz w:val="22"/><w:szCs w:val="22"/><w:lang w:val="{lang}" w:eastAsia="{lang}" w:bidi="{lang}"/></w:rPr></w:rPrDefault>
<w:pPrDefault><w:pPr><w:spacing w:after="140" w:line="276" w:lineRule="auto"/></w:pPr></w:pPrDefault>
</w:docDefaults>
<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/><w:qFormat/></w:style>
<w:style w:type="paragraph" w:styleId="Title"><w:name w:val="Title"/><w:basedOn w:val="Normal"/><w:next w:val="Normal"/><w:qFormat/>` +
		`<w:pPr><w:keepNext/><w:outlineLvl w:val="0"/></w:pPr><w:rPr><w:b/><w:bCs/><w:sz w:val="36"/><w:szCs w:val="36"/></w:rPr></w:style>
<w:style w:type="character" w:customStyle="1" w:styleId="Time"><w:name w:val="Time"/><w:qFormat/><w:rPr><w:color w:val="666666"/><w:sz w:val="18"/><w:szCs w:val="18"/></w:rPr></w:style>
<w:style w:type="character" w:styleId="Hyperlink"><w:name w:val="Hyperlink"/><w:rPr><w:color w:val="0563C1"/><w:u w:val="single"/></w:rPr></w:style>
</w:styles>
`
	docxBegin = xmlBegin + `<w:document xmlns:w="` + wordNames + `" xmlns:r="` + officeNames + `"><w:body>
`
	docxParagraphEnd = "</w:t></w:r></w:p>\n"
	docxEnd          = `<w:sectPr><w:pgSz w:w="11906" w:h="16838"/>` +
		`<w:pgMar w:top="1134" w:right="1134" w:bottom="1134" w:left="1134" w:header="709" w:footer="709" w:gutter="0"/></w:sectPr>
</w:body></w:document>
`

	xmlBegin       = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
	packages       = "http://schemas.openxmlformats.org/package/2006/"
	relations      = packages + "relationships"
	officeNames    = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	officeRelation = officeNames + "/"
	wordNames      = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
)
