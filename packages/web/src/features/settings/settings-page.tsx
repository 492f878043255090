import type { ReactNode } from 'react'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import type { SettingsTab } from '@caretaker/rules/shell/settings-tabs.ts'
import { addressOfTab, settingsTabs, settingsTabsFor } from '@caretaker/rules/shell/settings-tabs.ts'
import { usePresence } from '../../api/actor.ts'
import { usePageTitle } from '../../api/page-title.ts'
import { PageHead } from '../../ui/page-head.tsx'
import { AccessRightsTags } from './access-rights-tags.tsx'
import { AlertRules } from './alerts/alert-rules.tsx'
import { AwaabsLawSettings } from './awaabs-law/awaabs-law.tsx'
import { ApiKeys } from './api-keys/api-keys.tsx'
import { ResidentApp } from './residents/resident-app.tsx'
import { SignInPolicySettings } from './sign-in/sign-in-policy.tsx'
import { StandardLuminaires } from './standard-luminaires.tsx'
import { Tags } from './tags.tsx'
import { Webhooks } from './webhooks/webhooks.tsx'
import classes from './settings.module.css'

const contents: Record<SettingsTab['id'], ReactNode> = {
  alerts: <AlertRules />,
  tags: <Tags />,
  accessRightsTags: <AccessRightsTags />,
  luminaire: <StandardLuminaires />,
  residents: <ResidentApp />,
  apiKeys: <ApiKeys />,
  webhooks: <Webhooks />,
  signIn: <SignInPolicySettings />,
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

/** The settings of a client, one tab per subject. */
function Settings({ tab }: { tab: SettingsTab['id'] }) {
  const { actor, client } = usePresence()
  const shown = settingsTabsFor(actor)
  const active = shown.find(({ id }) => id === tab)
  const tabs = shown.map((one) => ({ ...one, href: pathTo(actor.tenant, 'Settings', addressOfTab(one)) }))
  const tenants = {
    id: 'Tenants',
    label: 'Tenants',
    href: pathTo(actor.tenant, 'Settings', 'Tenants'),
    developer: true,
  }
  const system = { ...tenants, id: 'System', label: 'System', href: pathTo(actor.tenant, 'Settings', 'System') }
  const ofVendor = [...(can(actor, 'see tenants') ? [tenants] : []), ...(can(actor, 'see system') ? [system] : [])]
  usePageTitle(active && ('title' in active ? active.title : active.label), 'Settings', client.displayName)
  return (
    <div className={classes.page}>
      <PageHead title="Settings" tabs={[...tabs, ...ofVendor]} activeTab={tab} />
      {active && 'title' in active && <h2 className={classes.title}>{active.title}</h2>}
      {active && contents[active.id]}
    </div>
  )
}
