import type { ERROR_CODES } from "./error-classes.ts";

/**
 * Terminal errors that a provider also gives for a dependency that was made a moment ago: what controls access is known everywhere only
 * after a while, and a cluster answers by its state. Where the operator tries again, they count once they last.
 *
 * - AWS: https://docs.aws.amazon.com/IAM/latest/UserGuide/troubleshoot.html#troubleshoot_general_eventual-consistency; EKS answers
 *   `InvalidParameterException` for a role that it does not know yet (hashicorp/terraform-provider-aws, pull requests 11127 and 34717), and
 *   `InvalidRequestException` and `InvalidStateException` for the state of a cluster. An Instance is refused (`InvalidParameterCombination`) until what ACK wrote
 *   into its spec is put back.
 * - Azure: https://learn.microsoft.com/azure/role-based-access-control/troubleshooting for assignments of roles; the operator registers
 *   a missing provider alone. An application and its secret are known everywhere only after a while, as well.
 * - Google: https://cloud.google.com/iam/docs/service-accounts-create says that a new account may be unknown for a minute or more.
 */
const SETTLING: Readonly<Record<keyof typeof ERROR_CODES, readonly string[]>> = {
  aws: [
    "AccessDenied",
    "AccessDeniedException",
    // The operator reads its token again.
    "ExpiredToken",
    "ExpiredTokenException",
    "InvalidIdentityToken",
    "InvalidParameterCombination",
    "InvalidParameterException",
    "InvalidParameterValue",
    "InvalidRequestException",
    "InvalidStateException",
    "UnauthorizedOperation",
  ],
  azure: [
    "AADSTS700016",
    "AADSTS70021",
    "AADSTS700211",
    "AADSTS700212",
    "AADSTS700213",
    "AADSTS7002138",
    "AADSTS7000215",
    "AADSTS7000222",
    "AuthorizationFailed",
    "LinkedAuthorizationFailed",
    "MissingSubscriptionRegistration",
    "NoRegisteredProviderFound",
  ],
  gcp: ["BadRequest", "Forbidden", "NotFound"],
  elemento: [],
};

/** Whether a terminal error may pass shortly after a dependency was made. */
export const isSettling = (provider: keyof typeof ERROR_CODES, code: string): boolean =>
  SETTLING[provider].includes(code);
