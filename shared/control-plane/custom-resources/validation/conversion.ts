import { type FieldError, forbiddenField, notSupported } from '../../errors/index.ts'
import { type JsonObject, stringAt } from '../../json.ts'

/** Conversion by webhook is not offered: it is refused, so that nobody believes that objects are converted. */
export function conversionErrors(conversion: JsonObject): FieldError[] {
  const at = 'spec.conversion'
  const strategy = stringAt(conversion, 'strategy')
  const webhook =
    conversion.webhook === undefined
      ? []
      : [forbiddenField(`${at}.webhook`, 'should not be set when strategy is not set to Webhook')]
  return strategy === 'None' ? webhook : [notSupported(`${at}.strategy`, strategy, ['None'])]
}
