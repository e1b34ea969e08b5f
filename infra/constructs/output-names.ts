import { Stack } from 'aws-cdk-lib'
import type { Construct } from 'constructs'

/** Returns the id of an output: its path in the stack without CDK's hash, for programs to rely on. */
export const outputId = (scope: Construct, name: string): string =>
  [...scope.node.scopes.slice(Stack.of(scope).node.scopes.length).map(({ node }) => node.id), name]
    .join('')
    .replaceAll(/[^A-Za-z0-9]/g, '')

/** Returns the name of the output that has the ARN of a role. */
export const roleOutput = (user: string): string => `${user.charAt(0).toUpperCase()}${user.slice(1)}RoleArn`
