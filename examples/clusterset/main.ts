import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, Chart } from 'cdk8s';
import type { ClusterSet } from 'cluster-canary/cluster-sync';
import { ClusterSetSync } from 'cluster-canary/cluster-sync';
import { parse } from 'yaml';

/** The set that `cluster-canary clusters` runs from a laptop, too. */
const set = parse(readFileSync(join(__dirname, 'clusterset.yaml'), 'utf8')) as ClusterSet;

/** An image with the command, which you build and push; its digest is what `docker push` answers. */
const image = `registry.example.com/cluster-canary@sha256:${'0'.repeat(64)}`;

const app = new App();
const chart = new Chart(app, 'clusters');
new ClusterSetSync(chart, 'sync', { name: 'clusters', set, image });
app.synth();
