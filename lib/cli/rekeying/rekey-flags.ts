import type { CalledService, InjectedObject } from '../../certificates';

/** What every verb of `cluster-canary rekey` takes. */
export interface RekeyFlags {
  readonly namespace: string;
  readonly name: string;
  readonly generation: number;
  /** Folder with `old.crt` and `renewed.crt`. @default - the authorities' Secrets are asked */
  readonly authorities?: string;
  /** In seconds. */
  readonly wait: number;
  /** File for what came of it in short. @default - none */
  readonly message?: string;
  readonly json?: boolean;
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** What `cluster-canary rekey result` takes: the Jobs have read the certificates. */
export type ResultFlags = Omit<RekeyFlags, 'authorities' | 'message'>;

/** What `cluster-canary rekey gate` takes beside that. */
export interface GateFlags extends RekeyFlags {
  readonly service: readonly CalledService[];
  /** In milliseconds. */
  readonly settle?: number;
}

/** What `cluster-canary rekey retire` takes beside that. */
export interface RetireFlags extends GateFlags {
  readonly injected: readonly InjectedObject[];
}
