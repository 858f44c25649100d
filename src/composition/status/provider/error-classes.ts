import { AWS_CODES } from "./aws-codes.ts";
import { classByForm, type Codes, type ErrorClass } from "./code-forms.ts";

export type { ErrorClass };

/**
 * https://learn.microsoft.com/azure/azure-resource-manager/templates/common-deployment-errors, and the list of the operator itself
 * (v2/internal/reconcilers/arm/errorclassification/error_classifier.go in Azure/azure-service-operator). Of the operator's login
 * https://learn.microsoft.com/entra/identity-platform/reference-error-codes; of workload identity also Azure/azure-workload-identity, issues 340
 * and 1200, and Azure/login, issue 517. Of spot machines https://learn.microsoft.com/azure/virtual-machines/error-codes-spot.
 */
const AZURE: Codes = {
  terminal: [
    "AADSTS700016",
    "AADSTS70021",
    "AADSTS700211",
    "AADSTS700212",
    "AADSTS700213",
    "AADSTS7002138",
    "AADSTS7000215",
    "AADSTS7000222",
    "AuthorizationFailed",
    "AzureSpotIsNotSupportedForThisVMSize",
    "BadRequest",
    "GalleryImageNotFound",
    "ImageNotFound",
    "InvalidParameter",
    "InvalidRequestContent",
    "InvalidTemplate",
    "LinkedAuthorizationFailed",
    "LocationNotAvailableForResourceType",
    "MissingSubscriptionRegistration",
    "NoRegisteredProviderFound",
    "PlatformImageNotFound",
    "PropertyChangeNotAllowed",
    "ReadOnlyDisabledSubscription",
    "RequestDisallowedByPolicy",
    "SkuNotAvailable",
  ],
  capacity: [
    "AKSCapacityError",
    "AllocationFailed",
    // Of AKS, which writes some of its codes with a prefix.
    "ErrCode_InsufficientVCPUQuota",
    "InsufficientVCPUQuota",
    "OverconstrainedAllocationRequest",
    "OverconstrainedZonalAllocationRequest",
    // Of a quota; azure.ts tells the other meaning apart.
    "OperationNotAllowed",
    "PublicIPCountLimitReached",
    "QuotaExceeded",
    "ResourceQuotaExceeded",
    "StaticPublicIPCountLimitReached",
    "ZonalAllocationFailed",
  ],
  retryable: [
    "AnotherOperationInProgress",
    "Conflict",
    "InternalServerError",
    // Also of what is still being made: the operator sends a resource before those that it refers to are there.
    "InvalidResourceReference",
    "NotFound",
    "OperationPreempted",
    "ParentResourceNotFound",
    "ResourceGroupNotFound",
    "ResourceNotFound",
    "RetryableError",
    "TooManyRequests",
  ],
};

/**
 * https://docs.cloud.google.com/compute/docs/troubleshooting/troubleshooting-resource-availability and
 * https://docs.cloud.google.com/compute/docs/reference/rest/2026-09-01/errors.
 */
const GOOGLE: Codes = {
  terminal: [
    "AccessNotConfigured",
    "Forbidden",
    "ImageForbidden",
    "ImageNotFound",
    "ImmutableField",
    "Invalid",
    "RequiredFieldMissing",
  ],
  capacity: [
    "IP_SPACE_EXHAUSTED",
    "IP_SPACE_EXHAUSTED_WITH_DETAILS",
    "LimitExceeded",
    "QUOTA_EXCEEDED",
    "QuotaExceeded",
    "GCE_STOCKOUT",
    "STOCKOUT",
    "ZONE_RESOURCE_POOL_EXHAUSTED",
    "ZONE_RESOURCE_POOL_EXHAUSTED_WITH_DETAILS",
  ],
  retryable: [
    "BackendError",
    "InternalError",
    "RateLimitExceeded",
    "UserRateLimitExceeded",
    "ResourceInUseByAnotherResource",
    "ResourceNotReady",
  ],
};

/**
 * Our own operator says itself what is terminal and what it tries again, so only capacity is distinguished. Elemento's wording, as
 * src/elemento/api/inferred.ts reads them.
 */
const ELEMENTO: Codes = {
  terminal: [],
  capacity: [
    "AvailablePathNotFound",
    "Http507",
    "NoSpaceLeftInLocation",
    "NotAllocable",
    "PlacementError",
    "ResourceLimitExceeded",
    "ResourceUnavailable",
  ],
  retryable: [],
};

export const ERROR_CODES: Readonly<Record<"aws" | "azure" | "gcp" | "elemento", Codes>> = {
  aws: AWS_CODES,
  azure: AZURE,
  gcp: GOOGLE,
  elemento: ELEMENTO,
};

const classes = new Map(
  Object.entries(ERROR_CODES).flatMap(([provider, codes]) =>
    Object.entries(codes).flatMap(([name, list]) =>
      list.map((code) => [`${provider} ${code}`, name as ErrorClass] as const),
    ),
  ),
);

/** The class of an error's code; null for one that is not in the table, unless its provider has a form for such codes. */
export const classOf = (provider: keyof typeof ERROR_CODES, code: string): ErrorClass | null =>
  classes.get(`${provider} ${code}`) ?? classByForm(provider, code);
