import { useMemo } from 'react'
import { IconBuildingCommunity, IconLogout, IconMoon, IconSun } from '../../icons/index.ts'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { searchEverything } from '@caretaker/contract/calls/search.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import type { PlaceArea } from '@caretaker/rules/links/places.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { addressOfTab, settingsTabsFor } from '@caretaker/rules/shell/settings-tabs.ts'
import { sidebarFor } from '@caretaker/rules/shell/sidebar.ts'
import { useActor, usePresence } from '../../api/actor.ts'
import { call } from '../../api/call.ts'
import type { Command } from '../../api/commands.ts'
import { useOfferedCommands } from '../../api/commands.ts'
import { signOut } from '../../api/session.ts'
import { listViewsQuery, viewOfDocument } from '../../api/views.ts'
import { useSchemeSwitch } from '../../ui/colour-scheme.ts'
import { AreaIcon } from '../area-icon.tsx'
import { useChangeClient } from '../use-change-client.ts'
import type { Entry, Group, Typed } from './entries.ts'
import { isMatch, leastLetters } from './entries.ts'
import { buildingGroup, deviceGroup, iconProps, peopleGroup, propertyGroups, viewEntries } from './found.tsx'

const searchQuery = (tenant: string, text: string) =>
  queryOptions({
    queryKey: [tenant, 'search', text],
    queryFn: ({ signal }) => call(searchEverything, { body: { tenant, search: text } }, { signal }),
    placeholderData: keepPreviousData,
  })

/** The results of the server; the previous ones stay until the next response. */
export function useFound({ text, commandsOnly }: Typed) {
  const { tenant } = useActor()
  const asks = !commandsOnly && text.length >= leastLetters
  const { data, isError, isPending, refetch } = useQuery({ ...searchQuery(tenant, text), enabled: asks })
  return {
    found: asks && !isError ? data : undefined,
    isFailed: asks && isError,
    isSearching: asks && isPending,
    retry: () => void refetch(),
  }
}

/** All matching entries in display order. */
export function useGroups({ text, commandsOnly }: Typed, found: ReturnType<typeof useFound>['found']): Group[] {
  const actor = useActor()
  const offered = useOfferedCommands()
  const general = useGeneralCommands()
  const pages = useMemo(() => pagesFor(actor), [actor])
  const own = useQuery(listViewsQuery(actor.tenant, actor.memberId))
  const actions = [...offered, ...general].filter(({ label }) => isMatch(text, label))
  const commandGroup = { name: 'Actions', entries: actions.map(entryOf) }
  if (commandsOnly) return [commandGroup].filter(isFilled)
  const fitting = pages.filter(({ label, detail }) => isMatch(text, label, detail))
  // Views of the grids are documents of the user, which the server's search does not include.
  const ownViews = (own.data ?? []).map((document) => viewOfDocument(document, actor.memberId))
  const views = text ? [...(found?.views.items ?? []), ...ownViews.filter(({ label }) => isMatch(text, label))] : []
  // Before typing, commands for the selection come before pages.
  if (!text && offered.length > 0) return [commandGroup, { name: 'Views and pages', entries: pages }]
  return [
    ...(found
      ? [
          buildingGroup(actor, found),
          ...propertyGroups(actor, found, text),
          deviceGroup(actor, found, text),
          peopleGroup(actor, found),
        ]
      : []),
    { name: 'Views and pages', entries: [...viewEntries(actor, views), ...fitting] },
    commandGroup,
  ].filter(isFilled)
}

const isFilled = ({ entries }: Group) => entries.length > 0

const entryOf = ({ id, icon, label, shortcut, run }: Command): Entry => ({ id, icon, label, shortcut, run })

/** The sidebar pages, the settings tabs and the user's account. */
function pagesFor(actor: Actor): Entry[] {
  const page = (label: string, area: PlaceArea, detail?: string, id?: string): Entry => ({
    id: `page-${area}-${id ?? ''}`,
    icon: <AreaIcon name={area} size={iconProps.size} />,
    label,
    detail,
    href: pathTo(actor.tenant, area, id),
  })
  const places = sidebarFor(actor).flatMap((entry) =>
    'items' in entry
      ? entry.items.map(({ name, area }) => page(name, area, entry.name))
      : [page(entry.name, entry.area)],
  )
  // The first tab has the address of the settings.
  const tabs = settingsTabsFor(actor).map((one) => ({
    ...page(one.label, 'Settings', 'Settings', addressOfTab(one)),
    id: `tab-${one.id}`,
  }))
  return [...places, ...tabs, page('My Account', 'MyAccount')]
}

/** Commands available everywhere. */
function useGeneralCommands(): Command[] {
  const { user } = usePresence()
  const { shown, toggle } = useSchemeSwitch()
  const changeClient = useChangeClient()
  const Scheme = shown === 'dark' ? IconSun : IconMoon
  return [
    {
      id: 'scheme',
      label: shown === 'dark' ? 'Use light colours' : 'Use dark colours',
      icon: <Scheme {...iconProps} />,
      run: toggle,
    },
    ...(user.tenants.length > 1
      ? [
          {
            id: 'change-client',
            label: 'Change Client',
            icon: <IconBuildingCommunity {...iconProps} />,
            run: changeClient,
          },
        ]
      : []),
    { id: 'logout', label: 'Logout', icon: <IconLogout {...iconProps} />, run: () => void signOut() },
  ]
}
