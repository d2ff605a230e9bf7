import type { ShiftRecord } from '../shift';

/** What a lease holds, wherever it is stored. Times are milliseconds since 1970. */
export interface LeaseDocument {
  /** Who holds it; unset once it was given back. */
  readonly holder?: string;
  /** When it expires. */
  readonly expiresAt: number;
  /** What an unfinished shift left. */
  readonly record?: ShiftRecord;
}

/** The document as it is stored. */
export function leaseText(document: LeaseDocument): string {
  return JSON.stringify({ schemaVersion: 1, ...document });
}

/**
 * A stored document.
 *
 * @returns undefined for any other text: it is then nobody's, and holds no record
 */
export function readLease(text: string | undefined): LeaseDocument | undefined {
  const found = fields(parsed(text));
  if (found.schemaVersion !== 1 || typeof found.expiresAt !== 'number') {
    return undefined;
  }
  const record = readRecord(found.record);
  return {
    ...(typeof found.holder === 'string' && { holder: found.holder }),
    expiresAt: found.expiresAt,
    ...(record && { record }),
  };
}

/** A stored record as text: for places that have fields of their own for the holder and the times. */
export function readRecordText(text: string | undefined): ShiftRecord | undefined {
  return readRecord(parsed(text));
}

/** What else a newer release may have written there stays. */
function readRecord(value: unknown): ShiftRecord | undefined {
  const { origin, wanted, written, startedAt } = fields(value);
  const readable = [origin, wanted, written].every(isWeights) && typeof startedAt === 'number';
  return readable ? (value as ShiftRecord) : undefined;
}

function isWeights(value: unknown): boolean {
  const weights = Object.values(fields(value));
  return weights.length > 0 && weights.every((weight) => typeof weight === 'number');
}

function fields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '') as unknown;
  } catch {
    return undefined;
  }
}
