export {
  type ChoiceInput,
  type Choices,
  type ClusterChoice,
  chooseEndpoints,
  chosenEndpoint,
  keptServes,
  leftOutByChoice,
  type OwnEndpoints,
  type PortChoice,
  servedPorts,
} from './choose-endpoints.ts'
export {
  FLEET_POLICY_RULE,
  type FleetPolicy,
  fleetPolicyText,
  type OwnPreference,
  readFleetPolicy,
} from './fleet-policy.ts'
