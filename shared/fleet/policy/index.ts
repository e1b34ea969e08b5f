export {
  type ChoiceInput,
  type Choices,
  chooseEndpoints,
  chosenEndpoint,
  keptServes,
  leftOutByChoice,
  type PortChoice,
  servedPorts,
} from './choose-endpoints.ts'
export { FLEET_POLICY_RULE, type FleetPolicy, fleetPolicyText, readFleetPolicy } from './fleet-policy.ts'
