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
  readonly json?: boolean;
  readonly kubeconfig?: string;
  readonly context?: string;
}

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
