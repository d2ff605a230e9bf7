import type { ObjectSource, RepeatedKey } from '../judged-object';
import type { DocumentText } from './split-documents';
import type { Locator } from './locate';
import { locate } from './locate';

/** A file, or what else a text comes from. */
export interface TextSource {
  /** As findings name it. */
  readonly file: string;
  /** The text, read again where it was not kept. */
  read(): string;
}

/** One document of a file. Its text is not kept: it is read again for the few objects with findings. */
export class SourceDocument {
  public constructor(
    public readonly source: TextSource,
    /** From 0. */
    public readonly position: number,
    private readonly span: Omit<DocumentText, 'text'>,
  ) {}

  /** Line of a JSON pointer of the document, from 1. */
  public lineOf(pointer: string): number {
    return this.span.line + (locatorOf(this)?.lineOf(pointer) ?? 0);
  }

  /** @throws Error where the file can't be read any more */
  public read(): string {
    return textOf(this.source).slice(this.span.start, this.span.end);
  }

  /** The place of an object in it. */
  public place(pointer: string, repeatedKeys: readonly RepeatedKey[] = []): ObjectSource {
    return new PlaceInDocument(this, pointer, repeatedKeys);
  }
}

/** A file may hold thousands of documents: its text is read once for all of them that follow each other. */
let lastRead: { readonly source: TextSource; readonly text: string } | undefined;

function textOf(source: TextSource): string {
  if (lastRead?.source !== source) {
    lastRead = { source, text: source.read() };
  }
  return lastRead.text;
}

/** Findings are asked for their lines document by document, so the last one is kept. */
let last: { readonly document: SourceDocument; readonly locator: Locator | undefined } | undefined;

function locatorOf(document: SourceDocument): Locator | undefined {
  if (last?.document !== document) {
    last = { document, locator: located(document) };
  }
  return last.locator;
}

/** The file may have changed since, or be gone. */
function located(document: SourceDocument): Locator | undefined {
  try {
    return locate(document.read());
  } catch {
    return undefined;
  }
}

class PlaceInDocument implements ObjectSource {
  public constructor(
    private readonly of: SourceDocument,
    public readonly pointer: string,
    public readonly repeatedKeys: readonly RepeatedKey[],
  ) {}

  public get file(): string {
    return this.of.source.file;
  }

  public get document(): number {
    return this.of.position;
  }

  public get line(): number {
    return this.of.lineOf(this.pointer);
  }

  public lineOf(pointer: string): number {
    return this.of.lineOf(this.pointer + pointer);
  }
}
