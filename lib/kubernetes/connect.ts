import { ApiClient } from './api-client';
import { Caller } from './caller';
import { UserCredentials } from './credentials';
import { findAccess } from './find-access';
import { httpsTransport } from './https-transport';
import type { KubernetesApi } from './kubernetes-api';
import type { PodLogs } from './pod-logs';
import type { CallLimits } from './retry';
import { defaultLimits } from './retry';
import type { ServerVersion } from './server-version';
import type { KubernetesSettings, Surroundings } from './settings';

/** Puts the parts of a client together. */
export async function connect(
  settings: KubernetesSettings,
  limits: Partial<CallLimits>,
  surroundings: Surroundings,
): Promise<KubernetesApi & PodLogs & ServerVersion> {
  const access = await findAccess(settings, surroundings);
  const transport = httpsTransport(access, surroundings.env);
  const caller = new Caller(access.server, transport, new UserCredentials(access), {
    ...defaultLimits,
    ...limits,
  });
  return new ApiClient(caller, access.namespace);
}
