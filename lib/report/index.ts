export { renderReport } from './render-report';
export type { ReportFiles, ReportHeading } from './render-report';
export { writeReport } from './write-report';
