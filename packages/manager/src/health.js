// The health of a webhook endpoint: state, cause and advice, backlog.
import { html, Problem, timeOf, useWork } from './view.js';

/** @typedef {import('../types.d.ts').EndpointHealth} EndpointHealth */

/** @param {EndpointHealth} health */
const isFailing = ({ consecutiveFailures, failingSince }) => consecutiveFailures > 0 || failingSince !== null;

/**
 * `isUsed`: whether the gateway has a delivery to the endpoint in its list.
 * @param {{ enabled: boolean, health: EndpointHealth | undefined, isUsed: boolean }} props
 */
export function Health({ enabled, health, isUsed }) {
  if (!enabled) return html`<span class="badge bad">Off</span>`;
  if (health?.breakerOpenUntil) return html`<span class="badge bad">Paused</span>`;
  if (health && isFailing(health)) return html`<span class="badge busy">Failing</span>`;
  if (!isUsed) return html`<span class="badge idle">No recent deliveries</span>`;
  return html`<span class="badge good">Healthy</span>`;
}

/** @param {EndpointHealth} health */
function causeOf({ lastFailure, failingSince }) {
  if (!lastFailure) return failingSince ? `No delivery has succeeded since ${timeOf(failingSince)}.` : '';
  const { status, error, at } = lastFailure;
  return status === null ? `No response at ${timeOf(at)}: ${error}.` : `Responded with ${status} at ${timeOf(at)}.`;
}

/**
 * Why deliveries fail and what to do; empty for a healthy endpoint. `onRetry` makes the next attempts due now.
 * @param {{ enabled: boolean, health: EndpointHealth | undefined, onRetry: () => Promise<void> }} props
 */
export function Trouble({ enabled, health, onRetry }) {
  const [problem, isBusy, run] = useWork();
  if (!enabled)
    return html`<p class="cause">This webhook is off. Waiting events are kept. <strong>To deliver them, choose Edit and turn it on.</strong></p>`;
  if (!health || !(health.breakerOpenUntil || isFailing(health))) return null;
  return html`<p class="cause">
      ${causeOf(health)} ${consequenceOf(health)} <strong>${adviceOf(health)}</strong>
    </p>
    <${Problem} text=${problem} />
    ${health.waiting > 0 && html`<button type="button" disabled=${isBusy} onClick=${() => run(onRetry)}>Retry now</button>`}`;
}

/** @param {EndpointHealth} health */
function adviceOf({ waiting, dead }) {
  if (waiting > 0) return 'Fix the receiver, then retry now.';
  return dead > 0 ? 'Fix the receiver, then replay the failed deliveries.' : 'Fix the receiver.';
}

/** @param {EndpointHealth} health */
function consequenceOf({ waiting, breakerOpenUntil }) {
  if (breakerOpenUntil)
    return `Events are kept. The next attempt is at ${timeOf(breakerOpenUntil)}; when it succeeds, the others follow.`;
  return waiting > 0 ? 'Waiting deliveries are retried automatically; the list below shows when.' : '';
}

/** @param {{ health: EndpointHealth }} props */
export function Backlog({
  health: { waiting, dead, oldestAgeSeconds, consecutiveFailures, breakerOpenUntil, failingSince, shed },
}) {
  const dropped = shed.light + shed.other;
  /** @type {[term: string, value: string | number | false][]} */
  const facts = [
    ['Waiting', oldestAgeSeconds ? `${waiting}, the oldest for ${oldestAgeSeconds} s` : waiting],
    ['Failed', dead],
    ['Consecutive failures', consecutiveFailures > 0 && consecutiveFailures],
    ['Failing since', failingSince !== null && timeOf(failingSince)],
    ['Next attempt at', breakerOpenUntil !== null && timeOf(breakerOpenUntil)],
    ['Dropped (backlog full)', dropped > 0 && dropped],
  ];
  return html`<dl class="facts small">${facts
    .filter(([, value]) => value !== false)
    .map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`)}</dl>`;
}
