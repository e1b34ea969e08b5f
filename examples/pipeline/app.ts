import { App } from 'aws-cdk-lib'
import { ACCOUNTS, REGIONS } from './fleet.ts'
import { PipelineStack } from './pipeline-stack.ts'

const app = new App()
new PipelineStack(app, 'SliceflowPipeline', {
  env: { account: ACCOUNTS.ours, region: REGIONS.production },
  source: {
    repository: 'example/sliceflow-fleet',
    branch: 'main',
    connectionArn: `arn:aws:codeconnections:${REGIONS.production}:${ACCOUNTS.ours}:connection/00000000-0000-0000-0000-000000000000`,
  },
})
app.synth()
