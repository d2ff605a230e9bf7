import type { OptionsOf } from '../problems';
import { listOf } from '../problems';

/** How plain manifests are read. */
export interface DirectoryOptions {
  /** Whether directories below count too. @default false */
  readonly recurse?: boolean;
  /** Glob of the files that count. @default - all manifests */
  readonly include?: string;
  /** Glob of the files that don't count. @default - none */
  readonly exclude?: string;
  /** Variables and libraries for Jsonnet files. @default - none */
  readonly jsonnet?: {
    /** External variables. @default - none */
    readonly extVars?: readonly JsonnetVariable[];
    /** Arguments of the top-level function. @default - none */
    readonly tlas?: readonly JsonnetVariable[];
    /** Directories with libraries. @default - none */
    readonly libs?: readonly string[];
  };
}

/** A variable for Jsonnet. */
export interface JsonnetVariable {
  /** Name of the variable. */
  readonly name: string;
  /** Value: a text, or Jsonnet code where `code` says so. */
  readonly value: string;
  /** Whether the value is code. @default false */
  readonly code?: boolean;
}

const jsonnetVariableKeys: OptionsOf<JsonnetVariable> = { name: 'plain', value: 'plain', code: 'plain' };

export const directoryOptionsKeys: OptionsOf<DirectoryOptions> = {
  recurse: 'plain',
  include: 'plain',
  exclude: 'plain',
  jsonnet: { extVars: listOf(jsonnetVariableKeys), tlas: listOf(jsonnetVariableKeys), libs: 'list' },
};
