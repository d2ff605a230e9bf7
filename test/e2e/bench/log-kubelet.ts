import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { onCleanUp } from './clean-up';
import type { ControlPlane } from './control-plane';
import { eventually } from './eventually';
import { CertificateAuthority } from './pki';

/** Stands for the kubelets of all nodes where an API server asks for logs: it answers what a test gave a pod. */
export class LogKubelet {
  /** Starts one, and says on every node that its kubelet is here. The API server knows no authority of kubelets. */
  public static async start(plane: ControlPlane): Promise<LogKubelet> {
    const authority = await CertificateAuthority.create('kubelet-ca');
    const leaf = await authority.issue({ name: 'kubelet', addresses: ['127.0.0.1'] });
    const kubelet = new LogKubelet();
    const server = createServer({ cert: leaf.certificate, key: leaf.key }, (request, response) => {
      const url = new URL(request.url ?? '', 'https://kubelet');
      kubelet.asked.push(`${url.pathname}${url.search}`);
      const [, pod = ''] = /^\/containerLogs\/[^/]+\/([^/]+)\//.exec(url.pathname) ?? [];
      response.writeHead(200, { 'content-type': 'text/plain' }).end(kubelet.logs[pod] ?? kubelet.others);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onCleanUp(async () => {
      const closed = new Promise((done) => server.close(done));
      server.closeAllConnections();
      await closed;
    });
    const { port } = server.address() as AddressInfo;
    const status = {
      addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
      daemonEndpoints: { kubeletEndpoint: { Port: port } },
    };
    for (const { metadata } of await plane.api.list('v1', 'Node')) {
      const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: metadata.name } };
      await eventually('the node has its kubelet', () =>
        plane.api.patch(node, { status }, { subresource: 'status' }),
      );
    }
    return kubelet;
  }

  /** Text by pod. */
  public logs: Readonly<Record<string, string>> = {};
  /** Text of every other pod. */
  public others = '';
  /** Path and query of every request. */
  public readonly asked: string[] = [];
}
