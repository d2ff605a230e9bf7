import { marked } from 'marked';

/** Colours as they are where no one chose any; only what a reader needs of a page. */
const style = `
:root { color-scheme: light dark; }
body { font: 16px/1.5 sans-serif; max-width: 60rem; margin: 2rem auto; }
table { border-collapse: collapse; } th, td { text-align: start; padding: 0.3rem; vertical-align: top; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; } img { max-width: 100%; }`;

/**
 * A document as a page.
 *
 * @param folder that its links and pictures start from, as an address that ends in a slash
 */
export function documentPage(markdown: string, language: string, folder: string): string {
  const title = /^# (.+)$/m.exec(markdown)?.[1] ?? '';
  return [
    `<!DOCTYPE html><html lang="${language}"><head><meta charset="utf-8">`,
    `<base href="${folder}"><title>${title.replace(/[<&]/g, '')}</title><style>${style}</style></head>`,
    `<body><main>${marked.parse(markdown) as string}</main></body></html>`,
  ].join('\n');
}

/** A picture within a page, as part of it: what is in the picture can be evaluated then. */
export function picturePage(svg: string, name: string): string {
  const inline = svg.replace(/^<\?xml[^>]*\?>\s*/, '');
  return [
    '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">',
    `<title>${name}</title></head><body><main><h1>${name}</h1>${inline}</main></body></html>`,
  ].join('\n');
}
