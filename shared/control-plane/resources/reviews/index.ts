export {
  localSubjectAccessReviews,
  selfSubjectAccessReviews,
  selfSubjectRulesReviews,
  subjectAccessReviews,
} from './access-reviews.ts'
export { selfSubjectReviews, tokenReviews } from './identity-reviews.ts'
