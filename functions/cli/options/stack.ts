/** Help of `--stack`, wherever it stands for the URLs of queues. */
export const STACK_FLAG =
  'of a deployment on AWS, whose outputs tell of its queues: the name or the ARN of its stack, or the .json file that `cdk deploy --outputs-file` wrote'
