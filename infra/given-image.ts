import { Stack } from 'aws-cdk-lib'
import { Repository } from 'aws-cdk-lib/aws-ecr'
import { ContainerImage } from 'aws-cdk-lib/aws-ecs'
import type { Construct } from 'constructs'

/** `ACCOUNT.dkr.ecr.REGION.SUFFIX/NAME[:TAG][@DIGEST]` */
const OF_ECR = /^(?<account>\d{12})\.dkr[.-]ecr(-fips)?\.(?<region>[a-z0-9-]+)\.[^/]+\/(?<repository>.+)$/

/**
 * Makes CDK's representation of an image. A pull from ECR needs a permission, which the task's own role gets;
 * another account's repository must let that account in, too.
 */
export function imageOf(scope: Construct, image: string): ContainerImage {
  const { groups } = OF_ECR.exec(image) ?? {}
  if (groups === undefined) return ContainerImage.fromRegistry(image)
  const { account = '', region = '', repository: given = '' } = groups
  const [tagged = '', digest] = given.split('@')
  const [name = '', tag] = tagged.split(':')
  const repository = Repository.fromRepositoryAttributes(scope, 'RelayImage', {
    repositoryName: name,
    repositoryArn: `arn:${Stack.of(scope).partition}:ecr:${region}:${account}:repository/${name}`,
  })
  return ContainerImage.fromEcrRepository(repository, digest ?? tag)
}
