// For each trace of each drawing, Plotly searches all attributes that a trace of that
// type may have for arrays, a quarter of the time of a drawing. Searching only the
// attributes that the trace has gives the same result.

function isArray(value) {
  return Array.isArray(value) || ArrayBuffer.isView(value);
}

function isPlain(value) {
  return value && Object.getPrototypeOf(value) === Object.prototype;
}

export function lookInTraces(schema) {
  const original = schema.findArrayAttributes;

  function isData(trace, path) {
    const declared = schema.getTraceValObject(trace, path);
    return declared?.valType === "data_array" || declared?.arrayOk === true;
  }

  // Lists of objects, which may hold arrays, are left to Plotly.
  function look(trace, part, path, found) {
    return Object.entries(part).every(([name, value]) => {
      if (name.startsWith("_")) return true;
      const here = [...path, name];
      // Plotly does not search a trace's meta.
      if (isPlain(value)) return name === "meta" || look(trace, value, here, found);
      if (!isArray(value)) return true;
      if (isPlain(value[0])) return false;
      if (path.at(-1) !== "colorbar" && isData(trace, here)) found.push(here.join("."));
      return true;
    });
  }

  schema.findArrayAttributes = (trace) => {
    const found = [];
    return look(trace, trace, [], found) ? found : original(trace);
  };
}
