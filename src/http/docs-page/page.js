// The script of the page at /docs: shows the contract (openapi.json) with Scalar, an API viewer. Decision D-142.

/** Options of the viewer. They turn off everything that needs or names a service of the company Scalar. */
const OPTIONS = {
  agent: { disabled: true },
  documentDownloadType: 'none',
  hideClientButton: true,
  mcp: { disabled: true },
  persistAuth: true,
  showDeveloperTools: 'never',
  showOperationId: true,
  telemetry: false,
  withDefaultFonts: false,
};

/**
 * Moves the example of an optional parameter to its description. The viewer would send the example, and an
 * idempotency key that is sent twice makes the second request a repetition of the first.
 */
function describeExample(parameter) {
  const [example] = parameter.schema?.examples ?? [];
  if (parameter.required || example === undefined) return;
  delete parameter.schema.examples;
  parameter.description += ` Example: \`${example}\`.`;
}

/** Changes the contract so that requests contain only the parameters that the reader fills in. */
function withoutOptionalExamples(contract) {
  const operations = [contract.paths, contract.webhooks].flatMap((paths) =>
    Object.values(paths).flatMap(Object.values),
  );
  const parameters = operations.flatMap((operation) => operation.parameters ?? []);
  for (const parameter of [...parameters, ...Object.values(contract.components.parameters)]) describeExample(parameter);
  return contract;
}

async function loadContract() {
  const response = await fetch('../openapi.json');
  if (!response.ok) throw new Error(`The contract could not be loaded: status ${response.status}. Reload the page.`);
  return response.json();
}

function loadViewer() {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.onload = () => resolve(window.Scalar);
    script.onerror = () => reject(new Error('The viewer could not be loaded. Reload the page.'));
    script.src = 'viewer.js';
    document.head.append(script);
  });
}

async function show() {
  // The viewer keeps the reader's API key in `localStorage`, which all tabs share permanently. `sessionStorage`
  // belongs to one tab and ends with the tab.
  Object.defineProperty(window, 'localStorage', { value: window.sessionStorage });
  const [contract, viewer] = await Promise.all([loadContract(), loadViewer()]);
  const place = document.getElementById('reference');
  place.replaceChildren();
  viewer.createApiReference(place, { ...OPTIONS, content: withoutOptionalExamples(contract) });
}

show().catch((error) => {
  document.querySelector('#reference > p').textContent = error.message;
});
