import { can } from '@caretaker/rules/identity/can.ts'
import type { GeneralAction } from '@caretaker/rules/identity/can.ts'
import { pathTo } from '@caretaker/rules/identity/places.ts'
import { usePresence } from '../../api/actor.ts'
import { usePageTitle } from '../../api/page-title.ts'
import { PageHead } from '../../ui/page-head.tsx'
import { AccessRightsTags } from './access-rights-tags.tsx'
import { Tags } from './tags.tsx'
import classes from './settings.module.css'

const tabs = [
  { id: 'tags', label: 'Tags', may: 'see settings', Content: Tags },
  { id: 'accessRightsTags', label: 'Access rights tags', may: 'see settings', Content: AccessRightsTags },
] as const satisfies readonly { id: string; label: string; may: GeneralAction; Content: () => React.ReactNode }[]

/** The first tab stands at the bare address of the settings. */
export const SettingsPage = () => <Settings tab={tabs[0].id} />
export const TagsPage = () => <Settings tab="tags" />
export const AccessRightsTagsPage = () => <Settings tab="accessRightsTags" />

/** What a client's own people may set, a tab a subject. */
function Settings({ tab }: { tab: (typeof tabs)[number]['id'] }) {
  const { actor, client } = usePresence()
  const shown = tabs.filter(({ may }) => can(actor, may))
  const active = shown.find(({ id }) => id === tab)
  usePageTitle(active?.label, 'Settings', client.displayName)
  return (
    <div className={classes.page}>
      <PageHead
        title="Settings"
        tabs={shown.map(({ id, label }) => ({ id, label, href: pathTo(actor.tenant, 'Settings', id) }))}
        activeTab={tab}
      />
      {active && <active.Content />}
    </div>
  )
}
