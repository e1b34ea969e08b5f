/** Help of `--stack`, wherever it stands for the URLs of queues. */
export const STACK_FLAG =
  'a deployment on AWS, whose outputs name its queues: the name or ARN of its stack, or the .json file that `cdk deploy --outputs-file` wrote'
