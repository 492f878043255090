import assert from 'node:assert/strict'
import { test } from 'vitest'
import { routes } from './routes.ts'

/** Calls that give lasting access or change who signs in and how, that hand out keys or whole data sets, or that change a client. */
const names = `
  addAuthenticatorApp addConnection addPasskey addSsoConnection addSsoDomain addTenant addWebhook beginAuthenticatorApp
  beginPasskey createApiKey createProvisioningKey createResidentAppKey createUser deleteUser deleteWebhook editTenant
  endBrowserSession endOtherBrowserSessions endUserSessions exportBreachRegister exportPersonalDataReads exportProperties 
  getReportFile getTenantExportFile inviteManager joinTenant removeAuthenticatorApp removePasskey removeSsoConnection removeSsoDomain renewRecoveryCodes
  replaceConnectionKey replaceSsoSecret resetUserSecondFactor resumeTenant revokeApiKey revokeProvisioningKey
  revokeResidentAppKey rotateWebhookSecret setGroupAccess setLicences setLogo setProvisioning setResidentAppSettings
  setSignInPolicy setTimeZone setUnknownMetrics startTenantExport suspendTenant switchCapability switchFeature
  updateConnection updateSsoConnection updateUserDetails updateUserRole updateUserTags updateWebhook verifySsoDomain`

test('exactly these calls need a sign-in of the last minutes', () => {
  const flagged = Object.entries(routes).flatMap(([name, { recentSignIn }]) => (recentSignIn ? [name] : []))
  assert.deepEqual(flagged.toSorted(), names.trim().split(/\s+/).toSorted())
})
