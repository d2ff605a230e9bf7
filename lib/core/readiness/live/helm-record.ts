import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { isPlainObject } from '../../validation/problems';
import { plainYaml, readYaml } from '../../validation/yaml';
import type { ReadinessObject } from '../report';
import { namesOf } from './subject';
import { isApiVersion } from './writings';

const unzip = promisify(gunzip);

/** A Secret has one megabyte at most; its base64 a third more. In characters. */
const longestRecord = 2_000_000;

/** Of the release in it, in bytes: manifests of CRDs take a tenth of their size when they are compressed. */
const longestRelease = 64 * 1024 * 1024;

/** Documents of one manifest. */
const mostDocuments = 10_000;

/** The longest document, in characters: cut into its parts, it takes half a second. A definition has a million at most. */
const longestDocument = 16_000_000;

/**
 * What of one document is read as YAML in one go, in characters: it takes a second or two, and nobody else gets a turn. That is
 * all of a list, and the names alone of anything else.
 */
const longestPart = 250_000;

/** How long documents are read before others get their turn, in milliseconds: a lease is renewed meanwhile. */
const longestTurn = 20;

/** What a release has installed. Values, notes and the chart are in the record, too: nothing of them stays. */
export interface HelmManifest {
  readonly objects: readonly ReadinessObject[];
  /** Documents that could not be read. */
  readonly unread: number;
  /** How many of them are too long for it. @default - none */
  readonly tooLong?: number;
}

/**
 * Reads the objects of a release from the record that Helm keeps of it: JSON, zipped by gzip, in base64, and in base64 once
 * more, as all data of a Secret.
 *
 * @param data `data.release` of the Secret
 * @returns undefined for what is no such record
 * @throws the signal's reason where that is aborted
 * @see https://github.com/helm/helm/blob/main/pkg/storage/driver/util.go
 */
export async function readHelmRecord(data: unknown, signal?: AbortSignal): Promise<HelmManifest | undefined> {
  if (typeof data !== 'string' || data.length > longestRecord) {
    return undefined;
  }
  const bytes = Buffer.from(Buffer.from(data, 'base64').toString('latin1'), 'base64');
  let release: unknown;
  try {
    // Records of the first versions of Helm 3 are not zipped.
    const zipped = bytes[0] === 0x1f && bytes[1] === 0x8b;
    const text = zipped ? await unzip(bytes, { maxOutputLength: longestRelease }) : bytes;
    release = JSON.parse(text.toString('utf8'));
  } catch {
    return undefined;
  }
  if (!isPlainObject(release) || typeof release.manifest !== 'string') {
    return undefined;
  }
  const hooks = (Array.isArray(release.hooks) ? release.hooks : []).flatMap((hook: unknown) =>
    isPlainObject(hook) && typeof hook.manifest === 'string' ? hook.manifest : [],
  );
  return readManifest([release.manifest, ...hooks].join('\n---\n'), signal);
}

/**
 * The objects of a manifest of several documents. A document that can't be read counts, and the others are read.
 *
 * @throws the signal's reason where that is aborted
 */
export async function readManifest(text: string, signal?: AbortSignal): Promise<HelmManifest> {
  const documents = text.split(/^---(?:[ \t].*)?$/m);
  let unread = Math.max(documents.length - mostDocuments, 0);
  let tooLong = 0;
  const objects: ReadinessObject[] = [];
  let turnEnds = performance.now() + longestTurn;
  for (const document of documents.slice(0, mostDocuments)) {
    if (performance.now() >= turnEnds) {
      await setImmediate();
      signal?.throwIfAborted();
      turnEnds = performance.now() + longestTurn;
    }
    const found = objectsIn(document);
    if (found === undefined || found === 'too long') {
      unread += 1;
      tooLong += found === undefined ? 0 : 1;
    } else {
      found.forEach((object) => objects.push(object));
    }
  }
  return { objects, unread, ...(tooLong > 0 ? { tooLong } : {}) };
}

function objectsIn(text: string): readonly ReadinessObject[] | 'too long' | undefined {
  if (text.length > longestDocument) {
    return 'too long';
  }
  // Line by line: an expression of several lines takes time without end for some blank ones.
  if (text.split('\n').every((line) => /^\s*(?:#.*)?$/.test(line))) {
    return [];
  }
  const value = jsonOf(text) ?? valueOf(namingPart(text)) ?? valueOf(text);
  if (value === undefined && text.length > longestPart) {
    return 'too long';
  }
  // Templates that render nothing leave documents of comments, or null.
  if (value === null) {
    return [];
  }
  const { kind, items } = isPlainObject(value) ? value : {};
  const isList = typeof kind === 'string' && kind.endsWith('List') && Array.isArray(items);
  const named = (isList ? [value, ...(items as readonly unknown[])] : [value]).flatMap(namedObject);
  return named.length > 0 ? named : undefined;
}

/**
 * The part of a document that names its object, which is a small one of a custom resource definition: in YAML's block style,
 * a line that begins with a letter begins a key of the document itself.
 */
function namingPart(text: string): string {
  return text
    .split(/^(?=[A-Za-z"'{])/m)
    .filter((block) => /^["']?(?:apiVersion|kind|metadata|items)\b|^\{/.test(block))
    .join('');
}

/** A document that is JSON, which is read in a moment; undefined for any other. */
function jsonOf(text: string): unknown {
  if (!text.trimStart().startsWith('{')) {
    return undefined;
  }
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function valueOf(text: string): unknown {
  if (text.length > longestPart) {
    return undefined;
  }
  const { document, problems } = readYaml(text);
  if (problems.some(({ code }) => code !== 'DUPLICATE_KEY')) {
    return undefined;
  }
  const plain = plainYaml(document);
  return 'value' in plain ? plain.value : undefined;
}

function namedObject(value: unknown): readonly ReadinessObject[] {
  const { apiVersion, kind, metadata } = isPlainObject(value) ? value : {};
  return isApiVersion(apiVersion) && typeof kind === 'string' && /^\w{1,253}$/.test(kind)
    ? [{ apiVersion, kind, ...namesOf(isPlainObject(metadata) ? metadata : {}) }]
    : [];
}
