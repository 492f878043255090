import type { ReactNode } from 'react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import {
  IconBolt,
  IconDeviceMobile,
  IconKey,
  IconPackageImport,
  IconPlugConnected,
  IconPlugConnectedX,
  IconRefresh,
  IconTags,
  IconTool,
  IconTrash,
} from '../icons/index.ts'
import { getBcmConnectedDevice, noAssociatedBcm } from '@caretaker/contract/calls/links.ts'
import type { ActionPlace, SingleAction } from '@caretaker/rules/actions/actions.ts'
import { singleActionLabels } from '@caretaker/rules/actions/actions.ts'
import {
  appPagePath,
  connectedInstallPath,
  connectedKindOf,
  deepLink,
  installPath,
  movePath,
} from '@caretaker/rules/links/handover.ts'
import { useActor } from '../api/actor.ts'
import { call } from '../api/call.ts'
import { settingsQuery } from '../api/settings.ts'
import { useGoTo } from '../ui/link.tsx'
import { showError } from '../ui/toasts.tsx'
import { askOf } from './commands.ts'
import { openAction } from './open.ts'
import type { ActionTarget } from './target.ts'
import { actionsFor } from './target.ts'

/** An action as a menu item: a link or a command. */
export interface ActionItem {
  action: SingleAction
  label: string
  icon: ReactNode
  /** A page of the portal or, with `external`, of the mobile app. */
  href?: string
  external?: boolean
  onPress?: () => void
}

const icons: Record<SingleAction, typeof IconBolt> = {
  'view in app': IconDeviceMobile,
  claim: IconPackageImport,
  install: IconTool,
  'complete install': IconTool,
  repair: IconTool,
  'flick test': IconBolt,
  'update tags': IconTags,
  'update access rights tag': IconKey,
  'join network': IconPlugConnected,
  'leave network': IconPlugConnectedX,
  'reset boiler': IconRefresh,
  'reset autofill': IconRefresh,
  uninstall: IconTrash,
}

/** The actions of a device in menu order; those of the mobile app only if there is one. */
export function useActionItems(target: ActionTarget, on: ActionPlace['on']): ActionItem[] {
  const actor = useActor()
  const { tenant } = actor
  const appUrl = useQuery(settingsQuery).data?.appUrl
  const queryClient = useQueryClient()
  const goTo = useGoTo()
  return actionsFor(actor, target, on).flatMap((action): ActionItem[] => {
    const Icon = icons[action]
    const way = wayOf(action)
    if (way === undefined) return []
    return [{ action, label: singleActionLabels[action], icon: <Icon size={18} stroke={1.7} aria-hidden />, ...way }]
  })

  /** How an action runs; undefined for a link. */
  function wayOf(action: SingleAction): Pick<ActionItem, 'href' | 'external' | 'onPress'> | undefined {
    switch (action) {
      case 'view in app':
      case 'claim':
      case 'install':
      case 'complete install':
        return appUrl ? handOver(action, appUrl) : undefined
      case 'repair':
      case 'update tags':
      case 'update access rights tag':
      case 'uninstall':
        return { onPress: () => openAction({ kind: 'single', action, target }) }
      default:
        return { onPress: () => askOf(queryClient, tenant, action, target) }
    }
  }

  function handOver(action: 'view in app' | 'claim' | 'install' | 'complete install', app: string) {
    if (action === 'complete install') return completeInstall()
    if (action === 'claim') return { href: movePath(tenant, target.serialNumber) }
    if (action === 'install') return withHref(installPath(tenant, target))
    const page = appPagePath(tenant, target)
    return page === undefined ? undefined : { href: deepLink(app, page), external: true }
  }

  function completeInstall() {
    const pathVia = (bcmOrGatewayId: string) => {
      const deviceKind = connectedKindOf(target.product)
      return deviceKind && connectedInstallPath(tenant, { ...target, deviceKind, bcmOrGatewayId })
    }
    if (target.parentId !== null) return withHref(pathVia(target.parentId))
    const find = async () => {
      const { bcmId } = await call(getBcmConnectedDevice, { body: { tenant, deviceId: target.deviceId } })
      const path = pathVia(bcmId)
      if (path) goTo(path)
    }
    return { onPress: () => void find().catch(() => showError(noAssociatedBcm)) }
  }
}

const withHref = (href: string | undefined) => (href === undefined ? undefined : { href })
