import type { ReactNode } from 'react'
import type { SettingsTab } from '@caretaker/rules/shell/settings-tabs.ts'
import { settingsTabs } from '@caretaker/rules/shell/settings-tabs.ts'
import { SettingsFrame } from '../../settings-frame/settings-frame.tsx'
import { AccessRightsTags } from './access-rights-tags.tsx'
import { AlertRules } from './alerts/alert-rules.tsx'
import { AwaabsLawSettings } from './awaabs-law/awaabs-law.tsx'
import { ApiKeys } from './api-keys/api-keys.tsx'
import { ResidentApp } from './residents/resident-app.tsx'
import { GroupAccessSettings } from './sign-in/group-access.tsx'
import { ProvisioningSettings } from './sign-in/provisioning.tsx'
import { SignInPolicySettings } from './sign-in/sign-in-policy.tsx'
import { SingleSignOn } from './sign-in/single-sign-on.tsx'
import { StandardLuminaires } from './standard-luminaires.tsx'
import { Tags } from './tags.tsx'
import { Webhooks } from './webhooks/webhooks.tsx'

/** Connections have pages of their own. */
type OwnTab = Exclude<SettingsTab['id'], 'connections'>

const contents: Record<OwnTab, ReactNode> = {
  alerts: <AlertRules />,
  tags: <Tags />,
  accessRightsTags: <AccessRightsTags />,
  luminaire: <StandardLuminaires />,
  residents: <ResidentApp />,
  apiKeys: <ApiKeys />,
  webhooks: <Webhooks />,
  signIn: (
    <>
      <SignInPolicySettings />
      <SingleSignOn />
      <GroupAccessSettings />
      <ProvisioningSettings />
    </>
  ),
  awaabsLaw: <AwaabsLawSettings />,
}

/** The first tab has the plain address of the settings. */
export const SettingsPage = () => <Settings tab={settingsTabs[0].id} />
export const TagsPage = () => <Settings tab="tags" />
export const AccessRightsTagsPage = () => <Settings tab="accessRightsTags" />
export const ResidentAppPage = () => <Settings tab="residents" />
export const ApiKeysPage = () => <Settings tab="apiKeys" />
export const WebhooksPage = () => <Settings tab="webhooks" />
export const SignInPolicyPage = () => <Settings tab="signIn" />
export const AwaabsLawPage = () => <Settings tab="awaabsLaw" />
export const StandardLuminairesPage = () => <Settings tab="luminaire" />

const Settings = ({ tab }: { tab: OwnTab }) => (
  <SettingsFrame tab={tab} flows={tab === 'signIn'}>
    {contents[tab]}
  </SettingsFrame>
)
